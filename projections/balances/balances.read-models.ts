import { defineReadModels } from '#libs/kernel/projection';
import { balancesProjection } from './balances.projection.js';
import { balanceTransactionsProjection } from './balance-transactions.projection.js';

export default defineReadModels({
  projections: [balancesProjection, balanceTransactionsProjection],
  adapters: [],
});
