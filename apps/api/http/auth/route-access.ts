import { Injectable, RequestMethod, type OnApplicationBootstrap } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, HttpAdapterHost, MetadataScanner } from '@nestjs/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isKnownPermission } from '#libs/manifest';
import { accessRuleOf, type AccessRule } from './access-rule.js';

/**
 * Holds the access rule of each route. The process does not start if a route has no access rule, or if no role has the route's permission.
 */
@Injectable()
export class RouteAccess implements OnApplicationBootstrap {
  /** The access rules by URL pattern, and then by HTTP method. */
  private readonly rules = new Map<string, Map<string, AccessRule>>();

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly host: HttpAdapterHost,
  ) {}

  onApplicationBootstrap(): void {
    const silent: string[] = [];
    for (const { metatype } of this.discovery.getControllers()) {
      if (!metatype) continue;
      const prototype = metatype.prototype as Record<string, object>;
      for (const name of this.scanner.getAllMethodNames(prototype)) {
        const handler = prototype[name]!;
        if (!Reflect.hasMetadata(PATH_METADATA, handler)) continue;
        const rule = accessRuleOf(metatype, handler);
        if (rule) this.note(metatype, handler, rule);
        else silent.push(`${metatype.name}.${name}`);
        if (rule?.permission && !isKnownPermission(rule.permission))
          throw new Error(
            `${metatype.name}.${name} requires ${rule.permission}, which no role has: name it in the manifest of a context`,
          );
      }
    }
    if (silent.length > 0)
      throw new Error(
        `Routes need @Public(), @RequiresPermission(), @UserSessionOnly() or @PortalOnly(): ${silent.join(', ')}`,
      );
  }

  /** Returns the access rule of the request's route, or undefined if no controller has the route. */
  accessRuleFor({ method, routeOptions: { url } }: FastifyRequest): AccessRule | undefined {
    return url === undefined ? undefined : this.rules.get(url)?.get(method === 'HEAD' ? 'GET' : method);
  }

  private note(controller: object, handler: object, rule: AccessRule): void {
    const method = RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod];
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>();
    for (const base of pathsOf(controller))
      for (const path of pathsOf(handler)) {
        const url = `/${[base, path]
          .flatMap((part) => part.split('/'))
          .filter((part) => part !== '')
          .join('/')}`;
        if (!fastify.hasRoute({ method: method, url })) throw new Error(`There is no route ${method} ${url}`);
        const rules = this.rules.get(url) ?? new Map<string, AccessRule>();
        this.rules.set(url, rules.set(method, rule));
      }
  }
}

function pathsOf(holder: object): string[] {
  const paths = Reflect.getMetadata(PATH_METADATA, holder) as string | string[];
  return Array.isArray(paths) ? paths : [paths];
}
