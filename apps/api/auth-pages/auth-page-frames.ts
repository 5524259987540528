import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { WorkspaceNames } from '#libs/contexts/identity';
import { CurrentBillingSettings } from '#libs/contexts/invoicing';
import type { Language } from '#libs/kernel/core';
import { browserLanguage } from '../hosted-invoice/browser-language.js';

/** The language of a page, and the workspace that it shows. */
export interface AuthPageFrame {
  readonly language: Language;
  /** The workspace, which the links of the page lead to. Null if it is not known. */
  readonly workspaceId: string | null;
  /** Null if the workspace is not known or has no name. */
  readonly sellerName: string | null;
  /** The colour of the workspace, such as `#0b5fff`. Null for the default colour. */
  readonly brandColor: string | null;
}

/**
 * Finds the language of a page, and the name and colour of its workspace. The language is the one that the browser prefers, or else the
 * language of the workspace's documents. The frame of a request is kept, so that an error page has it too.
 */
@Injectable()
export class AuthPageFrames {
  private readonly known = new WeakMap<FastifyRequest, AuthPageFrame>();

  constructor(
    private readonly workspaces: WorkspaceNames,
    private readonly settings: CurrentBillingSettings,
  ) {}

  /** Returns the frame of a page of the workspace. */
  async ofWorkspace(request: FastifyRequest, workspaceId: string): Promise<AuthPageFrame> {
    const [sellerName, { brandColor, language }] = await Promise.all([
      this.workspaces.nameOf(workspaceId),
      this.settings.ofWorkspace(workspaceId),
    ]);
    const frame = {
      language: browserLanguage(request.headers['accept-language'], language),
      workspaceId,
      sellerName,
      brandColor,
    };
    this.known.set(request, frame);
    return frame;
  }

  /** Returns the frame that the request has so far. Without a workspace, it has only the language of the browser. */
  of(request: FastifyRequest): AuthPageFrame {
    const language = browserLanguage(request.headers['accept-language']);
    return this.known.get(request) ?? { language, workspaceId: null, sellerName: null, brandColor: null };
  }
}
