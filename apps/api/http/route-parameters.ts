import type { ExecutionContext } from '@nestjs/common';
import { PARAMTYPES_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import type { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';

/** Returns whether the controller method of the route has a parameter for a part of the request, such as the body or the query. */
export function takesFromRequest(host: ExecutionContext, part: RouteParamtypes): boolean {
  return positionOf(host, part) !== undefined;
}

/** Returns the class that describes a part of the request. Undefined if the route does not take the part. */
export function classOfPart(host: ExecutionContext, part: RouteParamtypes): (new () => object) | undefined {
  const position = positionOf(host, part);
  if (position === undefined) return undefined;
  const prototype = host.getClass().prototype as object;
  const classes = Reflect.getMetadata(PARAMTYPES_METADATA, prototype, host.getHandler().name) as
    (new () => object)[] | undefined;
  return classes?.[position];
}

/** Returns the position of a part of the request among the parameters of the controller method. */
function positionOf(host: ExecutionContext, part: RouteParamtypes): number | undefined {
  const parameters = (Reflect.getMetadata(ROUTE_ARGS_METADATA, host.getClass(), host.getHandler().name) ??
    {}) as Record<string, { index: number }>;
  return Object.entries(parameters).find(([key]) => key.startsWith(`${part}:`))?.[1].index;
}
