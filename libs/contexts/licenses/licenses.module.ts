import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { CustomersModule } from '#libs/contexts/customers';
import { AllocateLicenseHandler } from './commands/allocate-license.js';
import { DeactivateLicenseHandler } from './commands/deactivate-license.js';
import { Licenses } from './licenses.js';

@Module({
  imports: [CqrsModule, CustomersModule],
  providers: [AllocateLicenseHandler, DeactivateLicenseHandler, Licenses],
  exports: [Licenses],
})
export class LicensesModule {}
