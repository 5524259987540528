import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { PATH_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { ruleOf } from './access-rule.js';

/** Keeps the process from starting while there is a route that does not say who may call it. */
@Injectable()
export class DeclaredAccess implements OnApplicationBootstrap {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  onApplicationBootstrap(): void {
    const silent = this.discovery.getControllers().flatMap(({ metatype }) => {
      if (!metatype) return [];
      const prototype = metatype.prototype as Record<string, object>;
      return this.scanner
        .getAllMethodNames(prototype)
        .filter((name) => Reflect.hasMetadata(PATH_METADATA, prototype[name]!))
        .filter((name) => !ruleOf(metatype, prototype[name]!))
        .map((name) => `${metatype.name}.${name}`);
    });
    if (silent.length > 0)
      throw new Error(`Routes need @Public(), @Requires() or @UserSessionOnly(): ${silent.join(', ')}`);
  }
}
