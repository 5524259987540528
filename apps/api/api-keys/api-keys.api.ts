import { defineApi } from '../http/index.js';
import { ApiKeysApiModule } from './api-keys.api.module.js';

export default defineApi({
  module: ApiKeysApiModule,
  tags: [
    {
      name: 'API keys',
      group: 'access',
      description: 'Credentials for servers. The role of a key decides what it may do.',
    },
  ],
});
