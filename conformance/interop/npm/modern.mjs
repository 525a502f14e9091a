// The peers @modelcontextprotocol/server and @modelcontextprotocol/client: both
// eras. Server eras: both, modern. Client eras: auto, 2025-11-25, 2026-07-28.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { completable, createMcpHandler, McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { run } from './checks.mjs';
import { command, listen } from './cli.mjs';
import { registerService } from './service.mjs';

const info = { name: 'sdk-modern', version: '2.0.0' };
const modes = { auto: 'auto', '2025-11-25': 'legacy', '2026-07-28': { pin: '2026-07-28' } };
const onerror = e => process.stderr.write(`${e.message}\n`);
const newServer = () => registerService(new McpServer(info), { ResourceTemplate, completable });

async function connect({ era, url, child }) {
  const client = new Client(info, { versionNegotiation: { mode: modes[era] } });
  const transport = url
    ? new StreamableHTTPClientTransport(url)
    : new StdioClientTransport({ ...child, stderr: 'inherit' });
  await client.connect(transport);
  const close = client.close.bind(client);
  client.close = async () => {
    if (client.getProtocolEra() === 'legacy') await transport.terminateSession?.();
    await close();
  };
  return { client, revision: client.getNegotiatedProtocolVersion() };
}

const cmd = command();
const reject = cmd.era === 'modern';
if (cmd.verb === 'check') await run(() => connect(cmd));
else if (cmd.transport === 'stdio') serveStdio(newServer, { legacy: reject ? 'reject' : 'serve', onerror });
else listen(toNodeHandler(createMcpHandler(newServer, { legacy: reject ? 'reject' : 'stateless', onerror }), { onerror }));
