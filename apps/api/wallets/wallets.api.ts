import { defineApi } from '../http/index.js';
import { AutoTopUpSettingsView } from './auto-top-up.dto.js';
import { WalletView } from './wallet.dto.js';
import { WalletLedgerEntryView } from './wallet-ledger.dto.js';
import { WalletsApiModule } from './wallets.api.module.js';
import { creditWebhooks } from './webhook-schemas.js';

export default defineApi({
  module: WalletsApiModule,
  tags: [
    {
      name: 'Wallets',
      group: 'customers',
      description: 'The prepaid credits of customers: grants, balances and the ledger of their changes.',
    },
  ],
  webhooks: creditWebhooks,
  customerData: {
    wallets: WalletView,
    autoTopUps: AutoTopUpSettingsView,
    walletLedger: WalletLedgerEntryView,
  },
});
