// The fixed checklist of a client against the service of service.mjs, on either
// generation of the SDK. One JSON line per check goes to standard output.
import assert from 'node:assert/strict';

// JavaScript has no larger exact integer to offer.
const big = Number.MAX_SAFE_INTEGER;
const unicode = 'Grüße, 世界 👋\u2028"\\';

const textOf = result => result.content.map(c => c.text).join('');
const namesOf = list => list.map(e => e.name).sort();

async function refusal(promise) {
  try {
    const result = await promise;
    assert.ok(result.isError, `answered ${JSON.stringify(result)}`);
    return `isError: ${textOf(result)}`;
  } catch (e) {
    if (e instanceof assert.AssertionError) throw e;
    assert.equal(typeof e.code, 'number', `no error of the protocol: ${e}`);
    return `${e.code} ${e.message}`;
  }
}

const checks = {
  tools: async c => assert.deepEqual(namesOf((await c.listTools()).tools), ['add', 'echo', 'fail']),
  resources: async c => assert.deepEqual((await c.listResources()).resources.map(r => r.uri), ['note://1']),
  templates: async c =>
    assert.deepEqual((await c.listResourceTemplates()).resourceTemplates.map(t => t.uriTemplate), ['note://{id}']),
  prompts: async c => {
    const { prompts } = await c.listPrompts();
    assert.deepEqual(namesOf(prompts), ['greet']);
    assert.deepEqual(prompts[0].arguments.map(a => [a.name, a.required]), [['name', true]]);
  },
  add: async c => {
    const r = await c.callTool({ name: 'add', arguments: { a: 2, b: 0.5 } });
    assert.ok(!r.isError);
    assert.deepEqual(r.structuredContent, { sum: 2.5 });
    assert.match(textOf(r), /2\.5/);
  },
  fail: async c => {
    const r = await c.callTool({ name: 'fail', arguments: {} });
    assert.equal(r.isError, true);
    assert.match(textOf(r), /failed as asked/);
  },
  'echo-integer': async c => {
    const r = await c.callTool({ name: 'echo', arguments: { value: big } });
    assert.deepEqual(r.structuredContent, { value: big });
    assert.match(textOf(r), new RegExp(String(big)));
  },
  'echo-unicode': async c => {
    const r = await c.callTool({ name: 'echo', arguments: { value: { text: unicode, none: null, list: [] } } });
    assert.deepEqual(r.structuredContent, { value: { text: unicode, none: null, list: [] } });
  },
  read: async c => {
    const { contents } = await c.readResource({ uri: 'note://1' });
    assert.deepEqual([contents[0].uri, contents[0].mimeType, contents[0].text], ['note://1', 'text/plain', 'note 1']);
  },
  'read-template': async c => {
    const { contents } = await c.readResource({ uri: 'note://caf%C3%A9' });
    assert.equal(contents[0].uri, 'note://caf%C3%A9');
    assert.match(contents[0].text, /^note caf(é|%C3%A9)$/);
  },
  prompt: async c => {
    const { messages } = await c.getPrompt({ name: 'greet', arguments: { name: 'Ada' } });
    assert.deepEqual([messages[0].role, messages[0].content.text], ['user', 'Hello, Ada!']);
  },
  complete: async c => {
    const r = await c.complete({ ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'name', value: 'A' } });
    assert.deepEqual(r.completion.values, ['Ada', 'Alan']);
  },
  'unknown-tool': c => refusal(c.callTool({ name: 'nothing', arguments: {} })),
  'unknown-resource': c => refusal(c.readResource({ uri: 'nothing://here' })),
  'unknown-prompt': c => refusal(c.getPrompt({ name: 'nothing', arguments: {} }))
};

function say(check, ok, detail) {
  process.stdout.write(JSON.stringify({ check, ok, detail }) + '\n');
  return ok;
}

// run connects, checks everything, and sets the exit status. connect returns a
// client and the revision it speaks.
export async function run(connect) {
  const limit = setTimeout(() => {
    say('time', false, 'not finished after 30 s');
    process.exit(1);
  }, 30_000);
  let all = true;
  let client;
  try {
    const connected = await connect();
    client = connected.client;
    say('connect', true, connected.revision);
    for (const [name, check] of Object.entries(checks)) {
      try {
        all = say(name, true, (await check(client)) ?? '') && all;
      } catch (e) {
        all = say(name, false, String(e.message ?? e)) && all;
      }
    }
  } catch (e) {
    all = say('connect', false, String(e?.message ?? e));
  }
  try {
    await client?.close();
    say('close', true, '');
  } catch (e) {
    all = say('close', false, String(e.message ?? e));
  }
  clearTimeout(limit);
  process.exitCode = all ? 0 : 1;
}
