import { Global, Module } from '@nestjs/common';
import { SETTINGS } from '#libs/kernel/app';
import { requireSetting, type Settings } from '#libs/kernel/system';
import { BooksVerifier, type LedgerVerification, type VerificationObserver } from '#libs/outputs/books';
import { verifyLedger } from './verify-ledger.js';
import type { VerifySourcesOptions } from './verify-sources.js';

/** A verification over HTTP is not urgent, so it leaves connections to others. */
const CONNECTIONS = 3;

/** Verifies the books of one workspace, with connections of its own. */
class LedgerBooksVerifier extends BooksVerifier {
  constructor(private readonly sources: VerifySourcesOptions) {
    super();
  }

  override verify(
    workspaceId: string,
    observer: VerificationObserver,
    signal: AbortSignal,
  ): Promise<LedgerVerification> {
    return verifyLedger({ ...this.sources, workspaceId, signal }, observer);
  }
}

/** Provides the verifier of the books to the process manager that verifies them. */
@Global()
@Module({
  providers: [
    {
      provide: BooksVerifier,
      useFactory: (settings: Settings) =>
        new LedgerBooksVerifier({
          databaseUrl: requireSetting(settings, 'databaseUrl'),
          eventStoreUrl: requireSetting(settings, 'eventStoreUrl'),
          connections: CONNECTIONS,
          readsInThread: true,
        }),
      inject: [SETTINGS],
    },
  ],
  exports: [BooksVerifier],
})
export class LedgerVerificationModule {}
