// The peer @modelcontextprotocol/sdk: the legacy revisions, with sessions on HTTP.
import { randomUUID } from 'node:crypto';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { completable } from '@modelcontextprotocol/sdk/server/completable.js';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { run } from './checks.mjs';
import { command, listen } from './cli.mjs';
import { registerService } from './service.mjs';

const info = { name: 'sdk-legacy', version: '1.0.0' };
const newServer = () => registerService(new McpServer(info), { ResourceTemplate, completable });

function serveHTTP() {
  const sessions = new Map();
  listen(async (req, res) => {
    let transport = sessions.get(req.headers['mcp-session-id']);
    if (!transport) {
      if (req.headers['mcp-session-id']) return void res.writeHead(404).end();
      transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: id => sessions.set(id, transport),
        onsessionclosed: id => sessions.delete(id)
      });
      await newServer().connect(transport);
    }
    await transport.handleRequest(req, res);
  });
}

async function connect({ url, child }) {
  const client = new Client(info);
  const transport = url
    ? new StreamableHTTPClientTransport(url)
    : new StdioClientTransport({ ...child, stderr: 'inherit' });
  // The client tells its transport what was negotiated, and nobody else.
  let revision = '';
  const original = transport.setProtocolVersion?.bind(transport);
  transport.setProtocolVersion = v => {
    revision = v;
    original?.(v);
  };
  await client.connect(transport);
  const close = client.close.bind(client);
  client.close = async () => {
    await transport.terminateSession?.();
    await close();
  };
  return { client, revision };
}

const cmd = command();
if (cmd.verb === 'check') await run(() => connect(cmd));
else if (cmd.transport === 'stdio') await newServer().connect(new StdioServerTransport());
else serveHTTP();
