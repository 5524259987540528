import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { ApprovalsModule } from '#libs/contexts/approvals';
import { CatalogModule } from '#libs/contexts/catalog';
import { CustomersModule } from '#libs/contexts/customers';
import { CreditTypeReferences } from './credit-types/credit-type-references.js';
import { ChangeCreditTypeHandler } from './credit-types/commands/change-credit-type.js';
import { CreateCreditTypeHandler } from './credit-types/commands/create-credit-type.js';
import { CreditTypes } from './credit-types/credit-types.js';
import { CreditExpiryProcess } from './credit-expiry.process.js';
import { ChangeAutoTopUpHandler } from './wallets/commands/change-auto-top-up.js';
import { GrantCreditsHandler } from './wallets/commands/grant-credits.js';
import { VoidCreditsHandler } from './wallets/commands/void-credits.js';
import { DrawDownRecorder } from './wallets/draw-down-recorder.js';
import { InterruptedWalletCompleter } from './wallets/interrupted-wallet-completer.js';
import { RefusalRecorder } from './wallets/refusal-recorder.js';
import { TrialUsage } from './wallets/trial-finder.js';
import { WalletReader } from './wallets/wallet-reader.js';
import { WalletStore } from './wallets/wallet-store.js';

@Module({
  imports: [CqrsModule, ApprovalsModule, CatalogModule, CustomersModule],
  providers: [
    CreateCreditTypeHandler,
    ChangeCreditTypeHandler,
    GrantCreditsHandler,
    VoidCreditsHandler,
    ChangeAutoTopUpHandler,
    CreditTypes,
    CreditTypeReferences,
    WalletReader,
    WalletStore,
    DrawDownRecorder,
    InterruptedWalletCompleter,
    TrialUsage,
    RefusalRecorder,
    CreditExpiryProcess,
  ],
  exports: [
    CreditTypeReferences,
    CreditTypes,
    WalletReader,
    WalletStore,
    DrawDownRecorder,
    InterruptedWalletCompleter,
    RefusalRecorder,
    CreditExpiryProcess,
  ],
})
export class CreditsModule {}
