// Written from the OpenAPI document of the service by KEDJA_WRITE_EXAMPLES=1 npm test -- test/openapi/
export interface paths {
    "/api/v1/access-log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getAccessLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Error: {
            /** @enum {string} */
            error: "invalid_request" | "validation_error" | "invalid_redirect" | "unauthorized" | "authentication_failed" | "forbidden" | "invalid_service_credentials" | "password_change_required" | "second_factor_required" | "consent_required" | "not_found" | "method_not_allowed" | "not_acceptable" | "conflict" | "already_taken" | "expired" | "deleted" | "precondition_failed" | "payload_too_large" | "unsupported_media_type" | "unprocessable" | "precondition_required" | "rate_limited" | "internal_error" | "upstream_error" | "unavailable" | "upstream_unavailable";
            message: string;
            messages?: string[];
        };
    };
    responses: {
        Error: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: {
        KedjaOrganisation: string;
        KedjaPatient: string;
    };
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getAccessLog: {
        parameters: {
            query?: {
                cursor?: string;
                lang?: "sv" | "en";
                patient?: string;
                per_page?: number;
                person?: string;
                since?: string;
                unit?: string;
                until?: string;
            };
            header?: {
                "Kedja-Organisation"?: components["parameters"]["KedjaOrganisation"];
                "Kedja-Patient"?: components["parameters"]["KedjaPatient"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            /** @enum {unknown} */
                            action: "create" | "read" | "update" | "delete" | "execute";
                            at: string;
                            event_guid: string;
                            /** @enum {unknown} */
                            outcome: "success" | "refused";
                            what: string;
                            who: {
                                for?: string;
                                name: string | null;
                                role: string;
                                unit: string | null;
                            };
                            why: ("plan" | "request") | null;
                        }[];
                        next_cursor: string | null;
                        per_page: number;
                    };
                };
            };
            400: components["responses"]["Error"];
            401: components["responses"]["Error"];
            403: components["responses"]["Error"];
            default: components["responses"]["Error"];
        };
    };
}
