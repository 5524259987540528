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
      ],
    },
  ],
  resources: async ({ create, http }) => ({ exports: await createExport(create, http) }),
  more: async ({ create, http }) => {
    await createExport(create, http);
  },
  bodies: () => ({
    'POST /v1/ledger/exports': () => ({ format: 'hledger', since: '2026-01-01', until: '2026-01-31' }),
  }),
});

/** Creates an export of the books, and waits until its file is made. A workspace has one at a time. */
async function createExport(create: ResourceSite['create'], http: ResourceSite['http']): Promise<string> {
  const id = await create('/v1/ledger/exports', { format: 'json' });
  for (;;) {
    const { body } = await http.get(`/v1/ledger/exports/${id}`).expect(200);
    if ((body as { endedAt: string | null }).endedAt !== null) return id;
  }
}
