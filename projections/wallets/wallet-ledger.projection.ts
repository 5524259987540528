import { ledgerEntryOf, walletDecider, type WalletEvent } from '#libs/contexts/credits';
import { erasedValue, eventTypesOf, type Recorded } from '#libs/kernel/domain';
import { appendOnlyProjection } from '#libs/kernel/projection';
import { WalletLedgerEntryRow } from './wallet-ledger-entry-row.js';

/** All changes of wallets, for `GET /v1/customers/:id/wallets/:type/ledger` and `GET /v1/portal/credits`. */
export const walletLedgerProjection = appendOnlyProjection<WalletLedgerEntryRow>({
  name: 'wallet-ledger',
  version: 3,
  entity: WalletLedgerEntryRow,
  eventTypes: eventTypesOf(walletDecider),
  rowsOf(recorded) {
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
    keysOf: ({ entries }) => entries,
    eraseRow: (row) => ({ ...row, description: erasedValue(row.description) }),
  },
});
