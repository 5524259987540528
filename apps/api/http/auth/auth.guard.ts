import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { accessRuleOf } from './access-rule.js';

/** Stops every request that {@link checkCredentialsFirst} did not check, so that a programming error cannot make a route public. */
@Injectable()
export class AuthGuard implements CanActivate {
  canActivate(host: ExecutionContext): boolean {
    const { principal } = host.switchToHttp().getRequest<FastifyRequest>();
    if (principal || accessRuleOf(host.getClass(), host.getHandler())?.public) return true;
    throw new Error(`Nobody checked the credential for ${host.getClass().name}.${host.getHandler().name}`);
  }
}
