import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ruleOf } from './access-rule.js';

/** Lets nobody through whom {@link checkCredentialsFirst} did not look at: a mistake of ours must not open a route. */
@Injectable()
export class AuthGuard implements CanActivate {
  canActivate(host: ExecutionContext): boolean {
    const { principal } = host.switchToHttp().getRequest<FastifyRequest>();
    if (principal || ruleOf(host.getClass(), host.getHandler())?.public) return true;
    throw new Error(`Nobody checked the credential for ${host.getClass().name}.${host.getHandler().name}`);
  }
}
