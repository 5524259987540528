import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { requestsOf, startSystem, type System, type TestWorkspace } from '../../../test/support/index.js';

let system: System;
let workspace: TestWorkspace;

beforeAll(async () => {
  system = await startSystem();
  workspace = await system.workspace();
});
afterAll(() => system?.stop());

const { get, post } = requestsOf(() => workspace);

describe('a {{words}}', () => {
  it('is created, listed, and told of in the audit trail', async () => {
    const created = await post('/v1/{{folder}}', { name: 'First' }, 201);
    expect(created).toMatchObject({ id: expect.stringMatching(/^{{idPrefix}}_/), name: 'First' });
    expect(await get(`/v1/{{folder}}/${created.id}`)).toEqual(created);
    expect((await get('/v1/{{folder}}')).data).toEqual([created]);
    const { body } = await workspace.session.get('/v1/audit?action={{snake}}.created').expect(200);
    expect(body.data).toMatchObject([{ resourceId: created.id, data: { name: 'First' } }]);
  });
});
