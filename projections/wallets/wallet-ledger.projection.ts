import { ledgerEntryOf, walletDecider, type WalletEvent } from '#libs/contexts/credits';
import { erasedValue, eventTypesOf, type Recorded } from '#libs/kernel/domain';
import { appendOnlyProjection } from '#libs/kernel/projection';
import { WalletLedgerRow } from './wallet-ledger-row.js';

/** All changes of wallets, for `GET /v1/customers/:id/wallets/:type/ledger` and `GET /v1/portal/credits`. */
export const walletLedgerProjection = appendOnlyProjection<WalletLedgerRow>({
  name: 'wallet-ledger',
  version: 3,
  entity: WalletLedgerRow,
  eventTypes: eventTypesOf(walletDecider),
  rows(recorded) {
    const event = recorded as Recorded<WalletEvent>;
    const entry = ledgerEntryOf(event.id, event);
    if (!entry) return [];
    return [
      {
        ...entry,
        workspaceId: event.metadata.workspaceId,
        customerId: event.data.customerId,
        position: String(event.position),
      },
    ];
  },
  erasure: {
    keys: ({ entries }) => entries,
    eraseRow: (row) => ({ ...row, description: erasedValue(row.description) }),
  },
});
