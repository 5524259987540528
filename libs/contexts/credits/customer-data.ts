import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { StreamReader } from '#libs/kernel/event-store';
import type { CustomerDataPart, CustomerDataSource, ExportedCustomer } from '#libs/manifest';
import { ledgerEntryOf, presentWalletEntry } from './wallets/ledger-entry.js';
import { presentAutoTopUp, presentWallet } from './wallets/present.js';
import { walletEventPages } from './wallets/wallet-history.js';
import { currentWallet, readRowsOfCustomer, type WalletRow } from './wallets/wallet-rows.js';

@Injectable()
class WalletsSource implements CustomerDataSource {
  constructor(private readonly pool: Pool) {}

  async *entries(customer: ExportedCustomer): AsyncGenerator<object> {
    for (const row of await this.rows(customer)) yield presentWallet(currentWallet(row), customer.at);
  }

  /** A customer has few wallets: one for each credit type. */
  protected rows({ workspaceId, customerId }: ExportedCustomer): Promise<WalletRow[]> {
    return readRowsOfCustomer(this.pool, workspaceId, customerId);
  }
}

@Injectable()
class AutoTopUpsSource extends WalletsSource {
  override async *entries(customer: ExportedCustomer): AsyncGenerator<object> {
    for (const { state } of await this.rows(customer))
      if (state.autoTopUp) yield presentAutoTopUp(state, state.autoTopUp);
  }
}

@Injectable()
class WalletLedgerSource extends WalletsSource {
  constructor(
    pool: Pool,
    private readonly streams: StreamReader,
  ) {
    super(pool);
  }

  override async *entries(customer: ExportedCustomer): AsyncGenerator<object> {
    for (const row of await this.rows(customer))
      for await (const page of walletEventPages(this.streams, row))
        for (const event of page) {
          const entry = ledgerEntryOf(event.id, event);
          if (entry) yield presentWalletEntry(entry);
        }
  }
}

export const customerData: readonly CustomerDataPart[] = [
  { name: 'wallets', source: WalletsSource },
  { name: 'autoTopUps', source: AutoTopUpsSource },
  { name: 'walletLedger', source: WalletLedgerSource },
];
