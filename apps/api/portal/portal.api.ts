import { defineApi } from '../http/index.js';
import { ExportedPortalSessionView } from './portal-session.dto.js';
import { PortalApiModule } from './portal.api.module.js';

export default defineApi({
  module: PortalApiModule,
  tags: [
    {
      name: 'Portal sessions',
      group: 'access',
      description: 'Tokens for the browsers of customers. Your backend makes them.',
    },
    {
      name: 'Customer portal',
      group: 'customers',
      description:
        'What a customer can see and do for itself, with the token of a portal session. Browsers of any origin may call it.',
    },
  ],
  customerData: { portalSessions: ExportedPortalSessionView },
});
