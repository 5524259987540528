import { walletDecider } from '#libs/contexts/credits';
import { snapshotProjection } from '#libs/kernel/projection';
import { WalletRow } from './wallet-row.js';

/** The wallets with their blocks, for `GET /v1/customers/:id/wallets`. */
export const walletsProjection = snapshotProjection({
  name: 'wallets',
  version: 1,
  entity: WalletRow,
  decider: walletDecider,
  columns: ({ customerId, creditType }) => ({ customerId, creditType }),
});
