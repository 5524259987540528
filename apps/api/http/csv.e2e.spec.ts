import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startSystem, type System, type TestWorkspace } from '../../../test/support/index.js';

const MARK = '\uFEFF';

let system: System;
let workspace: TestWorkspace;

beforeAll(async () => {
  system = await startSystem();
  workspace = await system.workspace();
});
afterAll(async () => system?.stop());

interface Described {
  paths: Record<
    string,
    Record<string, { parameters?: { name: string }[]; responses: Record<string, { content?: object }> }>
  >;
}

/**
 * Returns the paths of all endpoints that answer with CSV on request. Each of them must answer without further parameters. The file of
 * exported books is not one of them: its format is that of the export.
 */
async function csvPaths(): Promise<string[]> {
  const { body } = await workspace.http.get('/v1/openapi.json').expect(200);
  return Object.entries((body as Described).paths)
    .filter(([, { get }]) => get?.parameters?.some(({ name }) => name === 'format'))
    .filter(([, { get }]) => 'text/csv' in (get?.responses['200']?.content ?? {}))
    .map(([path]) => path);
}

describe('an answer in CSV', () => {
  it('begins with a byte order mark if it is asked for, at every endpoint', async () => {
    const paths = await csvPaths();
    expect(paths).toEqual(expect.arrayContaining(['/v1/audit', '/v1/revenue/summary']));
    for (const path of paths) {
      const { text: plain, headers } = await workspace.session.get(`${path}?format=csv`).expect(200);
      expect([path, plain.startsWith(MARK)]).toEqual([path, false]);
      const marked = await workspace.session.get(`${path}?format=csv&bom=true`).expect(200);
      expect([path, marked.text.slice(0, plain.indexOf(',') + 1)]).toEqual([
        path,
        `${MARK}${plain.slice(0, plain.indexOf(','))}`,
      ]);
      expect(marked.headers['content-type']).toBe(headers['content-type']);
    }
  });

  it('is the only one that takes the parameter', async () => {
    for (const path of await csvPaths()) {
      const { body } = await workspace.session.get(`${path}?bom=true`).expect(400);
      expect(body).toMatchObject({
        code: 'validation_failed',
        details: [{ field: 'bom', message: 'needs format=csv; leave it out, or add format=csv' }],
      });
    }
  });
});
