import { defineReadModels } from '#libs/kernel/projection';
import { walletLedgerProjection } from './wallet-ledger.projection.js';

export default defineReadModels({
  projections: [walletLedgerProjection],
  adapters: [],
});
