import {
  ALL_BUT_VIEWERS,
  defineTestEndpoints,
  type ResourceSite,
} from '../../../test/support/test-endpoints.ts';

export default defineTestEndpoints({
  access: [
    {
      right: 'ledger:read',
      roles: ALL_BUT_VIEWERS,
      endpoints: [
        'GET /v1/ledger/trial-balance',
        'GET /v1/ledger/entries',
        'POST /v1/ledger/exports',
        'GET /v1/ledger/exports',
        'GET /v1/ledger/exports/{id}',
        'GET /v1/ledger/exports/{id}/file',
        'POST /v1/ledger/verifications',
        'GET /v1/ledger/verifications',
        'GET /v1/ledger/verifications/{id}',
      ],
    },
  ],
  resources: async ({ create, http }) => ({
    exports: await createJob('/v1/ledger/exports', { format: 'json' }, create, http),
    verifications: await createJob('/v1/ledger/verifications', {}, create, http),
  }),
  more: async ({ create, http }) => {
    await createJob('/v1/ledger/exports', { format: 'json' }, create, http);
    await createJob('/v1/ledger/verifications', {}, create, http);
  },
  bodies: () => ({
    'POST /v1/ledger/exports': () => ({ format: 'hledger', since: '2026-01-01', until: '2026-01-31' }),
  }),
});

/** Creates an export or a verification of the books, and waits until it has ended. A workspace has one of each at a time. */
async function createJob(
  path: string,
  content: object,
  create: ResourceSite['create'],
  http: ResourceSite['http'],
): Promise<string> {
  const id = await create(path, content);
  for (;;) {
    const { body } = await http.get(`${path}/${id}`).expect(200);
    if ((body as { endedAt: string | null }).endedAt !== null) return id;
  }
}
