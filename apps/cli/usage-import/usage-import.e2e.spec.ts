import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startSystem, type System, type TestWorkspace } from '../../../test/support/index.js';
import { countinghouse, endCommands } from '../../../test/support/command.js';

let system: System;
let workspace: TestWorkspace;
let folder: string;

beforeAll(async () => {
  system = await startSystem({ USAGE_BATCH_LIMIT: '100' });
  folder = await mkdtemp(join(tmpdir(), 'countinghouse-import-'));
});
afterAll(async () => {
  await endCommands();
  await system?.stop();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  workspace = await system.workspace();
  await workspace.http.put('/v1/sandbox/clock', { now: '2023-11-16T23:00:00Z' }).expect(200);
  for (const id of ['cust_a', 'cust_b'])
    await workspace.http.post('/v1/customers', { id, name: id }).expect(201);
});

async function write(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

async function run(...args: string[]): Promise<{ code: unknown; text: string }> {
  const command = countinghouse(['usage', 'import', ...args], {
    COUNTINGHOUSE_URL: system.url,
    COUNTINGHOUSE_API_KEY: workspace.apiKey,
  });
  return { code: await command.ended, text: command.output.text };
}

async function total(aggregation: object, customerId = 'cust_a'): Promise<number> {
  const body = {
    eventName: 'llm.request',
    aggregation,
    customerIds: [customerId],
    startTime: '2023-11-01T00:00:00Z',
  };
  return (await workspace.http.post('/v1/events/query', body).expect(200)).body.data[0]?.value ?? 0;
}
const count = { type: 'count' };

/** Returns a file in the form of a public trace: seven digits of a second, no offset, columns of numbers. */
const trace = (rows: number): string =>
  `TIMESTAMP,ContextTokens,GeneratedTokens\n${Array.from({ length: rows }, (_, n) => `2023-11-16 18:17:03.${String(n).padStart(7, '0')},${n},2\n`).join('')}`;

describe('countinghouse usage import', () => {
  it('says how many rows are not counted, and why', async () => {
    const aggregation = { type: 'sum', property: 'units' };
    await workspace.http.post('/v1/metrics', { name: 'llm.request', aggregation }).expect(201);
    const line = (eventName: string, units: unknown) =>
      JSON.stringify({
        customerId: 'cust_a',
        eventName,
        timestamp: '2023-11-16T18:00:00Z',
        properties: { units },
      });
    const lines = [
      line('llm.request', 1),
      line('llm.request', 'x'),
      line('llm.requst', 1),
      line('llm.requst', 2),
    ];
    const { code, text } = await run(await write('mistyped.ndjson', lines.join('\n')));
    expect(code).toBe(0);
    expect(text).toContain('4 rows read, 4 accepted');
    expect(text).toContain('3 of the accepted are stored and not counted');
    expect(text).toMatch(/ {2}1: Metric met_\w+ skips these events of the name "llm.request"/);
    expect(text).toContain('  2: No metric has the event name "llm.requst"');
  });

  it('sends every row of a CSV file, and counts nothing twice when it is run again', async () => {
    const file = await write('trace.csv', trace(1_203));
    const args = [file, '--customer', 'cust_a', '--event', 'llm.request'];
    const first = await run(...args);
    expect(first).toMatchObject({ code: 0 });
    expect(first.text).toContain('1,203 rows read, 1,203 accepted (0 of them imported before), 0 rejected');
    expect((await run(...args)).text).toContain('1,203 accepted (1,203 of them imported before)');
    expect(await total(count)).toBe(1_203);
    expect(await total({ type: 'sum', property: 'ContextTokens' })).toBe((1_202 * 1_203) / 2);
    expect(await total({ type: 'sum', property: 'GeneratedTokens' })).toBe(2_406);
    const { body } = await workspace.http.get('/v1/events?limit=1').expect(200);
    expect(body.data[0].timestamp).toBe('2023-11-16T18:17:03.000120Z');

    await write('trace.csv', trace(1_205));
    expect((await run(...args)).text).toContain('1,203 of them imported before');
    expect(await total(count)).toBe(1_205);
    expect((await run(file, '--customer', 'cust_b', '--event', 'llm.request')).text).toContain('(0 of them');
    expect(await total(count, 'cust_b')).toBe(1_205);
  });

  it('says which rows were rejected and why, keeps the others, and ends with 1', async () => {
    const rows = [
      'customerId,eventName,timestamp,tokens',
      'cust_a,llm.request,2023-11-16T10:00:00Z,1',
      'cust_x,llm.request,2023-11-16T10:00:00Z,1',
      'cust_a,llm.request,2023-11-16T10:00:00Z,1',
      'cust_a,llm.request,soon,1',
      'cust_a,llm.request,2023-11-16T10:00:00Z',
    ];
    const { code, text } = await run(await write('mixed.csv', rows.join('\n')));
    expect(code).toBe(1);
    expect(text).toContain('5 rows read, 2 accepted (0 of them imported before), 3 rejected');
    expect(text).toContain('row 2: No customer "cust_x" in this workspace');
    expect(text).toContain('row 4: timestamp must be an ISO 8601 timestamp');
    expect(text).toContain('row 5: it has 3 columns, and the header 4 (not_an_object)');
    expect(await total(count)).toBe(2);
  });

  it('sends rows of past periods to the endpoint for them, with --backfill', async () => {
    const file = await write('past.csv', 'timestamp,n\n2023-01-31T10:00:00Z,1\n');
    const args = [file, '--customer', 'cust_a', '--event', 'llm.request'];
    const refused = await run(...args);
    expect([refused.code, refused.text]).toEqual([1, expect.stringContaining('POST /v1/events/backfill')]);
    expect(await run(...args, '--backfill')).toMatchObject({ code: 0 });
    expect((await run(...args, '--backfill')).text).toContain('1 accepted (1 of them imported before)');
  });

  it('reads NDJSON, and maps columns by its options', async () => {
    const lines = [
      '{"customerId":"cust_a","eventName":"llm.request","timestamp":"2023-11-16T10:00:00Z","properties":{"n":0.1}}',
      'not JSON',
      '{"customerId":"cust_a","eventName":"llm.request","timestamp":"2023-11-16 10:00:00","idempotencyKey":"k","properties":{"n":0.2}}',
    ];
    const { code, text } = await run(await write('events.ndjson', lines.join('\n')));
    expect([code, text]).toEqual([1, expect.stringContaining('row 2: it is not JSON')]);
    expect(await total({ type: 'sum', property: 'n' })).toBe(0.3);

    const file = await write('mapped.csv', 'who,what\ncust_b,7\n');
    const mapping = [
      '--customer-column',
      'who',
      '--event',
      'llm.request',
      '--now',
      '--property',
      'n=what:number',
    ];
    expect(await run(file, ...mapping)).toMatchObject({ code: 0 });
    expect(await total({ type: 'sum', property: 'n' }, 'cust_b')).toBe(7);
  });

  it('skips a byte order mark, reads the separator that is given, and takes no value without a name', async () => {
    const line =
      '{"customerId":"cust_a","eventName":"llm.request","timestamp":"2023-11-16T10:00:00Z","properties":{"n":1}}';
    const ndjson = await run(await write('marked.ndjson', `\uFEFF${line}\n`));
    expect([ndjson.code, ndjson.text]).toEqual([0, expect.stringContaining('1 row read, 1 accepted')]);
    const said = ['--customer', 'cust_b', '--event', 'llm.request'];
    const file = await write(
      'marked.csv',
      '\uFEFFtimestamp;n;\n2023-11-16T10:00:00Z;2;\n2023-11-16T10:00:00Z;4;5\n',
    );
    const { code, text } = await run(file, ...said, '--separator', 'semicolon');
    expect([code, text]).toEqual([
      1,
      expect.stringContaining('row 2: its column 3 has a value, and no name in the header'),
    ]);
    expect(await total({ type: 'sum', property: 'n' })).toBe(1);
    expect(await total({ type: 'sum', property: 'n' }, 'cust_b')).toBe(2);
    const tabs = await write('tabs.csv', 'timestamp\tn\n2023-11-16T10:00:00Z\t8\n');
    expect(await run(tabs, ...said, '--separator', 'tab')).toMatchObject({ code: 0 });
    expect(await total({ type: 'sum', property: 'n' }, 'cust_b')).toBe(10);
  });

  it.each<[string, string[], string]>([
    ['no file', ['nowhere.csv', '--customer', 'cust_a', '--event', 'e'], 'nowhere.csv cannot be read'],
    [
      'a wrong key',
      ['FILE', '--customer', 'cust_a', '--event', 'e', '--api-key', 'svc_no'],
      'API key was refused (401)',
    ],
    [
      'an API that is not there',
      ['FILE', '--customer', 'c', '--event', 'e', '--url', 'http://127.0.0.1:2'],
      'http://127.0.0.1:2 does not answer (connect ECONNREFUSED 127.0.0.1:2); set COUNTINGHOUSE_URL or --url',
    ],
    [
      'a backfill without times',
      ['FILE', '--customer', 'c', '--event', 'e', '--now', '--backfill'],
      '--now and --backfill exclude each other',
    ],
    [
      'a separator that is none',
      ['FILE', '--customer', 'c', '--event', 'e', '--separator', 'x'],
      '--separator "x" must be one of comma, semicolon, tab, pipe',
    ],
    ['no customer', ['FILE', '--event', 'e'], 'The customer is missing: '],
    [
      'a column that is not there',
      ['FILE', '--customer', 'c', '--event', 'e', '--timestamp-column', 'when'],
      '"when"',
    ],
  ])('says in a line what is wrong: %s', async (_, args, message) => {
    const file = await write('small.csv', trace(1));
    const { code, text } = await run(...args.map((arg) => (arg === 'FILE' ? file : arg)));
    expect([code, text.trim().split('\n')]).toEqual([1, [expect.stringContaining(message)]]);
  });
});
