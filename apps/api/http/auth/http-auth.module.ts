import { Global, Module } from '@nestjs/common';
import { APP_GUARD, DiscoveryModule } from '@nestjs/core';
import { AuthGuard } from './auth.guard.js';
import { DeclaredAccess } from './declared-access.js';
import { RequestAuthenticator } from './request-authenticator.js';

/** Authentication and permissions in front of every route. Needs IdentityModule. */
@Global()
@Module({
  imports: [DiscoveryModule],
  providers: [RequestAuthenticator, DeclaredAccess, { provide: APP_GUARD, useClass: AuthGuard }],
  exports: [RequestAuthenticator],
})
export class HttpAuthModule {}
