// The parameters that an operation's function gets.

import type { OpenApi, Operation, Parameter, Reference } from './openapi.ts'

type Components = Pick<OpenApi['components'], 'parameters'>

/**
 * In the contract's order. Without the headers of a GET: they are conditions, which are judged by its response (RFC 9110, 13;
 * http/response/conditions.ts).
 */
export function parametersOf(method: string, { parameters = [] }: Operation, components: Components): Parameter[] {
  return parameters
    .map((parameter) => resolve(parameter, components))
    .filter((parameter) => method !== 'get' || parameter.in !== 'header')
}

function resolve(parameter: Reference | Parameter, { parameters }: Components): Parameter {
  if (!('$ref' in parameter)) return parameter
  const target = parameters[parameter.$ref.replace('#/components/parameters/', '')]
  if (!target) throw new Error(`no parameter at ${parameter.$ref}`)
  return target
}
