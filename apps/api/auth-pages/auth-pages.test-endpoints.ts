import { defineTestEndpoints } from '../../../test/support/test-endpoints.ts';

export default defineTestEndpoints({
  access: [
    {
      who: 'anyone',
      endpoints: [
        'GET /auth/invitation/{token}',
        'POST /auth/invitation/{token}',
        'GET /auth/magic-link/{token}',
        'POST /auth/magic-link/{token}',
        'GET /auth/reset-password/{token}',
        'POST /auth/reset-password/{token}',
        'GET /auth/sign-in',
        'POST /auth/sign-in',
        'POST /auth/sign-in/link',
      ],
    },
  ],
});
