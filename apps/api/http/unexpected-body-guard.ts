import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { FastifyRequest } from 'fastify';
import { InvalidRequest } from '#libs/kernel/core';
import { hasBody } from './refused-bodies.js';
import { requestKindOf } from './request-kind.js';
import { takesFromRequest } from './route-parameters.js';

/**
 * Throws InvalidRequest if a request has a body with fields, but its route takes none. The error names the first field. Bodies of other
 * routes are checked against the DTO of the route. An empty object is taken, because some clients send it with every POST.
 *
 * The body of a GET is never read, so a GET with any body is refused. Health checks, pages for people and the events of a payment gateway
 * are left alone, because other programs write these requests.
 */
@Injectable()
export class UnexpectedBodyGuard implements CanActivate {
  canActivate(host: ExecutionContext): boolean {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const url = request.routeOptions.url ?? '';
    if (!url.startsWith('/v1/') || url.startsWith('/v1/health')) return true;
    if (requestKindOf(request) === 'gateway' || takesFromRequest(host, RouteParamtypes.BODY)) return true;
    if (request.method === 'GET' && hasBody(request.raw))
      throw new InvalidRequest('validation_failed', 'This request takes no body; leave it out');
    const { body } = request;
    if (body === undefined) return true;
    if (typeof body !== 'object' || body === null || Array.isArray(body))
      throw new InvalidRequest('validation_failed', 'This request takes no body; leave it out, or send {}');
    const [field] = Object.keys(body);
    if (field === undefined) return true;
    throw InvalidRequest.field(field, 'is not a field of this request, which takes none');
  }
}
