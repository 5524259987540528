import { Global, Module } from '@nestjs/common';
import { APP_GUARD, DiscoveryModule } from '@nestjs/core';
import { AuthGuard } from './auth.guard.js';
import { RequestAuthenticator } from './request-authenticator.js';
import { RouteAccess } from './route-access.js';

/** Checks authentication and permissions in front of every route. Needs IdentityModule. */
@Global()
@Module({
  imports: [DiscoveryModule],
  providers: [RequestAuthenticator, RouteAccess, { provide: APP_GUARD, useClass: AuthGuard }],
  exports: [RequestAuthenticator, RouteAccess],
})
export class HttpAuthModule {}
