import type { ExecutionContext } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import type { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';

/** Returns whether the controller method of the route has a parameter for a part of the request, such as the body or the query. */
export function takesFromRequest(host: ExecutionContext, part: RouteParamtypes): boolean {
  const parameters = (Reflect.getMetadata(ROUTE_ARGS_METADATA, host.getClass(), host.getHandler().name) ??
    {}) as object;
  return Object.keys(parameters).some((key) => key.startsWith(`${part}:`));
}
