import { Controller, Get, Redirect } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '../http/auth/index.js';

/** Redirects a browser that opens the root URL of the API to the documentation. The redirect is not part of the API contract. */
@ApiExcludeController()
@Controller()
export class RootController {
  @Get()
  @Public()
  @Redirect('/docs', 302)
  docs(): void {
    // The redirect needs no body.
  }
}
