import { defineApi } from '../http/index.js';
import { BalancesApiModule } from './balances.api.module.js';

export default defineApi({
  module: BalancesApiModule,
  tags: [],
});
