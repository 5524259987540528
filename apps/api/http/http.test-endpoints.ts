import { defineTestEndpoints } from '../../../test/support/test-endpoints.ts';

export default defineTestEndpoints({
  access: [
    {
      who: 'anyone',
      endpoints: [
        'GET /docs',
        'GET /docs/start.js',
        'GET /docs/scalar.js',
        'GET /docs/openapi.json',
        'GET /v1/openapi.json',
      ],
    },
  ],
});
