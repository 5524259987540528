import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openApiDocumentWithoutDatabases } from '#apps/api';
import { exampleOf, type ApiDocument } from '../support/openapi.js';
import { operationsOf, startSystem, type System, type TestWorkspace } from '../support/index.js';

/*
 * What /docs offers to try is made of the examples in the OpenAPI document. Each of them is sent: ids that it names may not
 * be there, but nothing may be wrong with it.
 */

/** The refusal of what only a live workspace can do. The body was accepted. */
const LIVE_ONLY = 'live_only';

let system: System;
let workspace: TestWorkspace;
let document: ApiDocument;

beforeAll(async () => {
  system = await startSystem();
  workspace = await system.workspace();
  document = (await workspace.http.get('/v1/openapi.json').expect(200)).body;
});
afterAll(async () => system?.stop());

describe('the example of every request body', () => {
  it('is one that passes', async () => {
    const refused: string[] = [];
    const { id } = (await workspace.http.post('/v1/customers', { name: 'A' }).expect(201)).body as {
      id: string;
    };
    const portal = await workspace.portalOf(id);
    // A month is closed by another example. After that, a clock can only be moved forward.
    const ofClocks = await system.workspace();
    for (const { route, path, method, caller } of operationsOf(document, {}).filter(
      ({ takesBody }) => takesBody,
    )) {
      const [, template] = route.split(' ');
      const { content } = document.paths[template!]![method]!.requestBody!;
      const example = exampleOf(content!['application/json']!.schema!, document) as object;
      const { session, http } = path.startsWith('/v1/sandbox/clock') ? ofClocks : workspace;
      const client = { customer: portal, user: session, key: http }[caller];
      const { status, body } = await client[method](path, example);
      if (body.code === LIVE_ONLY) continue;
      if (status === 400 || status >= 500) refused.push(`${route} ${JSON.stringify(example)}: ${body.error}`);
    }
    expect(refused).toEqual([]);
  });
});

describe('the document', () => {
  it('is made without any server too', async () => {
    expect(document).toEqual(
      JSON.parse(JSON.stringify(await openApiDocumentWithoutDatabases(system.settings))),
    );
  });
});
