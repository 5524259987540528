import { Module, type DynamicModule, type Type } from '@nestjs/common';

/** Finds the subscriptions of a customer that have not ended. Implemented by a read model, which the streams overrule. */
export abstract class CustomerSubscriptions {
  /** The ids of the `limit` oldest, oldest first. */
  abstract of(accountId: string, customerId: string, limit: number): Promise<string[]>;
}

/** Tells billing, wherever it is in the app, which read model that is. */
@Module({})
export class CustomerSubscriptionsModule {
  static with(readModel: Type<CustomerSubscriptions>): DynamicModule {
    return {
      module: CustomerSubscriptionsModule,
      global: true,
      providers: [{ provide: CustomerSubscriptions, useClass: readModel }],
      exports: [CustomerSubscriptions],
    };
  }
}
