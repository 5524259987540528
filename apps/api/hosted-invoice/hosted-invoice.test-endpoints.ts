import { defineTestEndpoints } from '../../../test/support/test-endpoints.ts';

export default defineTestEndpoints({
  access: [
    {
      who: 'anyone',
      endpoints: [
        'GET /i/{token}',
        'GET /i/{token}/pdf',
        'GET /i/{token}/receipt',
        'GET /i/{token}/credit-notes/{creditNoteId}/pdf',
        'POST /i/{token}/pay',
        'POST /i/{token}/card',
        'POST /i/{token}/confirm',
        'GET /i/{token}/confirmed',
      ],
    },
  ],
  ownNames: ['token'],
});
