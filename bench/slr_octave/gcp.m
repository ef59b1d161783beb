function p = gcp(varargin)
% No pool of workers.
  p = [];
end
