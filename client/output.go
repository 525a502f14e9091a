package client

import (
	"errors"
	"fmt"

	"github.com/diglot-mcp/diglot/internal/jsonx"
	"github.com/diglot-mcp/diglot/mcp"
	"github.com/diglot-mcp/diglot/schema"
)

// check compares a result with the output schema of its tool, as far as the
// tool was listed and has one. The result of a failed call has nothing to fit
// (VAL-11).
func (c *Client) check(tool string, r *mcp.CallToolResult) error {
	if c.cfg.Output == OutputTrusted || r.IsError {
		return nil
	}
	d := c.tools.lookup(tool)
	if d == nil || d.output == nil {
		return nil
	}
	err := d.fits(r)
	if err == nil {
		return nil
	}
	if c.cfg.Output == OutputLogged {
		c.log.Warn("result does not fit the tool's output schema", "server", c.target.String(), "tool", tool, "error", err)
		return nil
	}
	return &OutputError{Tool: tool, Result: r, Err: err}
}

func (d *definition) fits(r *mcp.CallToolResult) error {
	if r.StructuredContent == nil {
		return errors.New("it has no structuredContent, which the schema describes")
	}
	d.compile.Do(func() { d.validator, d.invalid = schema.Compile(d.output) })
	if d.invalid != nil {
		return fmt.Errorf("the schema itself cannot be used: %w", d.invalid)
	}
	return d.validator.Validate(r.StructuredContent)
}

// decodeResult reads a result into a Go value: structuredContent if there is
// any, else the text. A string takes the text as it is; any other type reads it
// as JSON.
func decodeResult(r *mcp.CallToolResult, into any) error {
	if r.StructuredContent != nil {
		if err := jsonx.Unmarshal(r.StructuredContent, into, jsonx.Texts); err != nil {
			return fmt.Errorf("decode structuredContent: %w", err)
		}
		return nil
	}
	text := r.Text()
	if s, ok := into.(*string); ok {
		*s = text
		return nil
	}
	if text == "" {
		return errors.New("the result has neither structuredContent nor text to decode")
	}
	if err := jsonx.Check([]byte(text), 0); err != nil {
		return fmt.Errorf("the result has no structuredContent, and its text is no JSON: %w", err)
	}
	if err := jsonx.Unmarshal([]byte(text), into, jsonx.Texts); err != nil {
		return fmt.Errorf("decode the result's text: %w", err)
	}
	return nil
}
