"""The operators' desk: their API under ``/api/v1/operator``, behind a login."""
