// What the peer programs have in common on the command line:
//
//	serve stdio|http [era]
//	check era URL | check era -- COMMAND ARGS
import { createServer } from 'node:http';

// listen serves HTTP on a free loopback port, prints the URL, and ends the
// process when standard input does: a server must not outlive who started it.
export function listen(handler) {
  const server = createServer((req, res) => {
    handler(req, res).catch(e => {
      process.stderr.write(`${e.stack ?? e}\n`);
      if (!res.headersSent) res.writeHead(500);
      res.end();
    });
  });
  server.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${server.address().port}/mcp\n`));
  process.stdin.on('end', () => process.exit(0)).resume();
}

// command reads what the process was asked to do.
export function command() {
  const [verb, first, ...rest] = process.argv.slice(2);
  if (verb === 'serve' && (first === 'stdio' || first === 'http')) return { verb, transport: first, era: rest[0] ?? 'both' };
  if (verb === 'check' && rest[0] === '--') return { verb, era: first, child: { command: rest[1], args: rest.slice(2) } };
  if (verb === 'check' && rest.length === 1) return { verb, era: first, url: new URL(rest[0]) };
  process.stderr.write('usage: serve stdio|http [era] | check ERA URL | check ERA -- COMMAND ARGS\n');
  process.exit(2);
}
