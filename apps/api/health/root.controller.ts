import { Controller, Get, Redirect } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '../http/auth/index.js';

/** Who opens the API's address in a browser is shown its documentation. It is no part of the contract. */
@ApiExcludeController()
@Controller()
export class RootController {
  @Get()
  @Public()
  @Redirect('/docs', 302)
  docs(): void {
    // The redirection says everything.
  }
}
