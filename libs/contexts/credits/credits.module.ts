import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { CatalogModule } from '#libs/contexts/catalog';
import { CustomersModule } from '#libs/contexts/customers';
import { ChangeCreditTypeHandler } from './credit-types/commands/change-credit-type.js';
import { CreateCreditTypeHandler } from './credit-types/commands/create-credit-type.js';
import { CreditTypes } from './credit-types/credit-types.js';
import { CreditsProcess } from './credits.process.js';
import { GrantCreditsHandler } from './wallets/commands/grant-credits.js';
import { VoidCreditsHandler } from './wallets/commands/void-credits.js';
import { Wallets } from './wallets/wallets.js';

@Module({
  imports: [CqrsModule, CatalogModule, CustomersModule],
  providers: [
    CreateCreditTypeHandler,
    ChangeCreditTypeHandler,
    GrantCreditsHandler,
    VoidCreditsHandler,
    CreditTypes,
    Wallets,
    CreditsProcess,
  ],
  exports: [Wallets, CreditsProcess],
})
export class CreditsModule {}
