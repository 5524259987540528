import { defineApi } from '../http/index.js';
import { ExportedPortalSessionView } from './portal-session.dto.js';
import { PortalApiModule } from './portal.api.module.js';

export default defineApi({
  module: PortalApiModule,
  tags: [
    {
      name: 'Portal sessions',
      group: 'access',
      description: 'Tokens for the browsers of customers, which your backend creates.',
    },
    {
      name: 'Customer portal',
      group: 'customers',
      description:
        'The endpoints with which customers manage their own account, with the token of a portal session. Browsers of any origin may ' +
        'call these endpoints.',
    },
  ],
  customerData: { portalSessions: ExportedPortalSessionView },
});
