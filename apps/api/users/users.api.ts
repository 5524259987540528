import { defineApi } from '../http/index.js';
import { UsersApiModule } from './users.api.module.js';

export default defineApi({
  module: UsersApiModule,
  tags: [
    {
      name: 'Users',
      group: 'access',
      description: 'The users of the workspace, their invitations, and your own sessions.',
    },
  ],
});
