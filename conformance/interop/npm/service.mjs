// The little service that every peer serves, on either generation of the SDK:
// both have the same registration calls and take raw zod shapes.
import { z } from 'zod';

export const names = ['Ada', 'Alan', 'Grace'];

const text = s => ({ content: [{ type: 'text', text: s }] });

export function registerService(server, { ResourceTemplate, completable }) {
  server.registerTool(
    'add',
    { description: 'adds two numbers', inputSchema: { a: z.number(), b: z.number() }, outputSchema: { sum: z.number() } },
    async ({ a, b }) => ({ ...text(String(a + b)), structuredContent: { sum: a + b } })
  );
  server.registerTool('fail', { description: 'always fails', inputSchema: {} }, async () => ({
    ...text('failed as asked'),
    isError: true
  }));
  server.registerTool(
    'echo',
    { description: 'returns its argument', inputSchema: { value: z.any() }, outputSchema: { value: z.any() } },
    async ({ value }) => ({ ...text(JSON.stringify(value)), structuredContent: { value } })
  );
  const note = (uri, body) => ({ contents: [{ uri: String(uri), mimeType: 'text/plain', text: body }] });
  server.registerResource('first', 'note://1', { description: 'the first note', mimeType: 'text/plain' }, async uri =>
    note(uri, 'note 1')
  );
  server.registerResource(
    'note',
    new ResourceTemplate('note://{id}', { list: undefined }),
    { description: 'a note', mimeType: 'text/plain' },
    async (uri, { id }) => note(uri, `note ${id}`)
  );
  server.registerPrompt(
    'greet',
    {
      description: 'greets somebody',
      argsSchema: { name: completable(z.string(), prefix => names.filter(n => n.startsWith(prefix))) }
    },
    async ({ name }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `Hello, ${name}!` } }] })
  );
  return server;
}
