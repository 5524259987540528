import { defineApi } from '../http/index.js';
import { BalanceView, ExportedBalanceTransactionView } from './balance.dto.js';
import { BalancesApiModule } from './balances.api.module.js';

export default defineApi({
  module: BalancesApiModule,
  tags: [],
  customerData: { balances: BalanceView, balanceTransactions: ExportedBalanceTransactionView },
});
