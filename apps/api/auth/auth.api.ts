import { defineApi } from '../http/index.js';
import { AuthApiModule } from './auth.api.module.js';

export default defineApi({
  module: AuthApiModule,
  tags: [
    {
      name: 'Authentication',
      group: 'access',
      description: 'Users, their sessions and tokens. Servers use API keys instead.',
    },
  ],
});
