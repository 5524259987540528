import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { FastifyRequest } from 'fastify';
import { InvalidRequest } from '#libs/kernel/core';
import { renameParameters, type QueryValues } from './parameter-names.js';
import { classOfPart, takesFromRequest } from './route-parameters.js';

/**
 * The names that the validation removes from a query before it looks for unknown parameters. No request has a parameter with such a name.
 * Bodies with these names are refused when their JSON is read.
 */
const REMOVED_BY_VALIDATION: readonly string[] = ['__proto__', 'constructor', 'prototype'];

/**
 * Throws InvalidRequest if a query parameter is given twice, or if a request has parameters but its route takes none. The parameters of
 * other routes are checked against the DTO of the route. Health checks accept any parameter, because some load balancers add parameters.
 * The pages for customers also accept any parameter, because other programs add parameters to links. Parameters that are given by another
 * name get their documented name.
 */
@Injectable()
export class QueryParameterGuard implements CanActivate {
  canActivate(host: ExecutionContext): boolean {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const { routeOptions, query } = request;
    const parameters = Object.entries(query as QueryValues);
    if (parameters.length === 0) return true;
    // Compares the route's pattern, since one URL can be written in many ways.
    const url = routeOptions.url ?? '';
    if (!url.startsWith('/v1/') || url.startsWith('/v1/health')) return true;
    if (!takesFromRequest(host, RouteParamtypes.QUERY))
      refuse(parameters, 'is not a parameter of this request, which takes none');
    refuse(
      parameters.filter(([name]) => REMOVED_BY_VALIDATION.includes(name)),
      'is not a parameter of this request',
    );
    refuse(
      parameters.filter(([, value]) => Array.isArray(value)),
      'must be given once',
    );
    const described = classOfPart(host, RouteParamtypes.QUERY);
    if (described) renameParameters(request, described);
    return true;
  }
}

function refuse(parameters: readonly [name: string, value: unknown][], message: string): void {
  if (parameters.length === 0) return;
  const details = parameters.map(([field]) => ({ field, message }));
  const error = details.map(({ field }) => `${field} ${message}`).join('; ');
  throw new InvalidRequest('validation_failed', error, details);
}

/** Reads a query string. A parameter that is given more than once becomes a list of its values. */
export function readQuery(text: string): QueryValues {
  const values = Object.create(null) as QueryValues;
  for (const [name, value] of new URLSearchParams(text)) {
    const before = values[name];
    values[name] = before === undefined ? value : [before, value].flat();
  }
  return values;
}
