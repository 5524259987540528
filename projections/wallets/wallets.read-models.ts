import { defineReadModels } from '#libs/kernel/projection';
import { walletLedgerProjection } from './wallet-ledger.projection.js';
import { walletsProjection } from './wallets.projection.js';

export default defineReadModels({
  projections: [walletsProjection, walletLedgerProjection],
  adapters: [],
});
