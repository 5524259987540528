import { defineApi } from '../http/index.js';
import { UsersApiModule } from './users.api.module.js';

export default defineApi({
  module: UsersApiModule,
  tags: [],
});
