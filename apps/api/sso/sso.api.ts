import { defineApi } from '../http/index.js';
import { SsoApiModule } from './sso.api.module.js';

export default defineApi({
  module: SsoApiModule,
  tags: [
    {
      name: 'SSO connections',
      group: 'access',
      description: 'OpenID Connect providers by which the users of a workspace sign in.',
    },
  ],
});
